"""Signatures as Standard Webhooks defines them."""

import base64

from assay.api.webhooks.signing import new_secret, signature

# the example of the reference implementations
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE_ID, TIMESTAMP = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
BODY = b'{"test": 2432232314}'
SIGNED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_signature_is_that_of_the_reference_implementations() -> None:
    assert signature([SECRET], MESSAGE_ID, TIMESTAMP, BODY) == SIGNED


def test_each_valid_secret_has_its_signature() -> None:
    other = new_secret()
    signed = signature([other, SECRET], MESSAGE_ID, TIMESTAMP, BODY).split(" ")
    assert signed[1] == SIGNED
    assert signed[0] == signature([other], MESSAGE_ID, TIMESTAMP, BODY) != SIGNED


def test_a_secret_has_a_prefix_and_256_random_bits() -> None:
    secrets = {new_secret() for _ in range(10)}
    assert len(secrets) == 10
    for secret in secrets:
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
