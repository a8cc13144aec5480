"""Passwords and tokens."""

from argon2 import PasswordHasher, extract_parameters
from argon2.low_level import Type
from assay.access import secrets


def test_passwords_are_hashed_by_argon2id_with_recommended_parameters() -> None:
    hashed = secrets.hash_password("correct horse")
    parameters = extract_parameters(hashed)
    assert parameters.type is Type.ID
    assert parameters.memory_cost >= 19 * 1024  # KiB; OWASP's least
    assert PasswordHasher().verify(hashed, "correct horse")


def test_only_the_correct_password_matches() -> None:
    hashed = secrets.hash_password("correct horse")
    assert secrets.password_matches("correct horse", hashed)
    assert not secrets.password_matches("correct horse ", hashed)
    assert not secrets.password_matches("", hashed)
    assert not secrets.password_matches("correct horse", None)
    assert not secrets.password_matches("correct horse", "not a hash")


def test_an_unknown_user_takes_as_long_as_a_known_one() -> None:
    nobody, somebody = secrets._dummy_hash(), secrets.hash_password("correct horse")
    assert extract_parameters(nobody) == extract_parameters(somebody)


def test_tokens_and_codes_are_unique() -> None:
    assert len({secrets.new_token() for _ in range(100)}) == 100
    assert len({secrets.new_code() for _ in range(100)}) == 100
