"""The settings of an installation."""

from pathlib import Path

from assay.base.settings import Settings


def test_the_database_in_the_home_directory_keeps_its_name(tmp_path: Path) -> None:
    """An installation finds its data again."""
    settings = Settings(home=tmp_path, database_url=None)
    assert settings.resolved_database_url == f"sqlite:///{tmp_path}/assay.db"
