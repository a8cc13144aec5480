from assay.runs.recording.ingest import ingest
from assay.runs.samples.columns import NAMES
from assay.runs.samples.raw import last_samples, newest_end_ns
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from testing.seeds import seed_run
from testing.spools import Spool


def test_the_newest_sample_is_found_behind_batches_that_have_only_marks(database: Engine) -> None:
    with Session(database) as session, session.begin():
        _, participant, trials = seed_run(session)
        trial = trials[0].position
        spool = Spool().hello().trial(trial).sample(trial, end_ns=50, bytes=7)
        assert newest_end_ns(session, participant.id, trial, 1) == 0
        ingest(session, participant.id, 1, 0, spool.data)
        for end in (60, 70, 80):
            known = len(spool.data)
            spool.mark(trial, end_ns=end, bytes=1)
            ingest(session, participant.id, 1, known, spool.data[known:])
        [newest] = last_samples(session, participant.id, trial, 1, 1)
        assert newest[NAMES.index("end_ns")] == 50
        assert newest_end_ns(session, participant.id, trial, 1) == 80
        assert newest_end_ns(session, participant.id, trial, 2) == 0
