"""Settings of one installation, read once from `ASSAY_*` environment variables."""

from functools import cache
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

REPOSITORY = Path(__file__).resolve().parents[2]


class Settings(BaseSettings):
    """What an operator may set; each field is documented in `docs/operations.md`."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", extra="ignore")

    home: Path = Field(default=REPOSITORY / "var", description="Folder of all state")
    host: str = Field(default="127.0.0.1", description="Address that the API listens on")
    port: int = Field(default=8080, ge=1, le=65535, description="Port that the API listens on")
    database_url: str | None = Field(default=None, description="SQLAlchemy URL; SQLite in home")
    redis_url: str | None = Field(default=None, description="Redis URL; embedded Valkey")
    secret_key: str | None = Field(default=None, description="Seals credentials; a file in home")
    admin_password: str | None = Field(default=None, description="Makes user admin at first start")
    first_look: bool = Field(default=True, description="Measure this machine at first start")
    session_hours: int = Field(default=12, ge=1, description="Length of a browser session")
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        default=(), description="Reverse proxies whose X-Forwarded-For is believed"
    )
    secure_cookies: bool = Field(default=False, description="Cookies only over HTTPS")
    worker_capacity: int = Field(default=300, ge=1, description="Runs driven at once by a worker")
    ownership_seconds: float = Field(default=15, gt=0, description="Ownership without renewal")
    reconcile_seconds: float = Field(default=2, gt=0, description="Pause between reconciliations")
    lost_after_seconds: float = Field(default=60, gt=0, description="Unreachable until lost")
    failed_after_hours: float = Field(default=24, gt=0, description="Lost until failed")

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """Split at commas, as an environment variable lists them."""
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @property
    def resolved_database_url(self) -> str:
        """The database in use, as an SQLAlchemy URL."""
        return self.database_url or f"sqlite:///{self.home.resolve() / 'assay.db'}"


def mistakes(error: ValidationError) -> str:
    """What is wrong with the environment, each variable by its name, in one line."""
    return "; ".join(f"ASSAY_{e['loc'][0]}".upper() + f": {e['msg']}" for e in error.errors())


@cache
def settings() -> Settings:
    """The settings of this process."""
    return Settings()
