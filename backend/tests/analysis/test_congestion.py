"""What is in flight at a share of lost packets, by the formulas of RFC 9438."""

import pytest
from assay.analysis import congestion
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("control", sorted(congestion.RESPONSES))
def test_the_window_at_a_loss_is_that_of_the_rfc(control: str) -> None:
    """RFC 9438, tables 1 and 2: a round trip of 0.1 s; CUBIC's for C = 0.4."""
    expected = {
        "reno": {1e-2: 12, 1e-4: 120, 1e-6: 1200},
        "cubic": {1e-2: 12, 1e-4: 187, 1e-6: 5900},
    }
    for lost, segments in expected[control].items():
        found = congestion.window(control, lost, 0.1)
        assert found == pytest.approx(segments, rel=0.03)
    assert congestion.window(control, 0.0, 0.1) is None


@pytest.mark.parametrize("control", sorted(congestion.RESPONSES))
@given(lost=st.floats(1e-7, 1e-2), rtt_s=st.floats(1e-3, 0.3))
def test_the_window_grows_back_in_the_time_in_which_one_packet_is_lost(
    control: str, lost: float, rtt_s: float
) -> None:
    average = congestion.window(control, lost, rtt_s)
    assert average is not None
    moved = average * congestion.period_s(control, average, rtt_s) / rtt_s
    assert moved == pytest.approx(1 / lost, rel=0.05)
