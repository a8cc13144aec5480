"""Settings of the installation, read once from `ASSAY_*` environment variables."""

from functools import cache
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

REPOSITORY = Path(__file__).resolve().parents[3]

APPLIANCE = "ASSAY_APPLIANCE"
"""Marks the processes of the appliance for probes, with the directory of their files."""


class Settings(BaseSettings):
    """Settings; each field is documented in `docs/operations.md`."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", extra="ignore")

    home: Path = Field(default=REPOSITORY / "var", description="Directory for all state")
    host: str = Field(default="127.0.0.1", description="Listen address of the API")
    port: int = Field(default=8080, ge=1, le=65535, description="Listen port of the API")
    database_url: str | None = Field(default=None, description="SQLAlchemy URL; SQLite in home")
    redis_url: str | None = Field(default=None, description="Redis URL; embedded Valkey")
    secret_key: str | None = Field(default=None, description="Encrypts credentials; a file in home")
    admin_password: str | None = Field(
        default=None, description="Creates user admin at first start"
    )
    first_look: bool = Field(default=True, description="Measure this machine at first start")
    session_hours: int = Field(default=12, ge=1, description="Duration of a browser session")
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        default=(), description="Reverse proxies whose X-Forwarded-For is accepted"
    )
    requests_per_second: int = Field(default=200, ge=0, description="Limit of each caller")
    waiting_requests: int = Field(
        default=2000, ge=1, description="Requests and streams that wait at once"
    )
    secure_cookies: bool = Field(default=False, description="Cookies only over HTTPS")
    worker_capacity: int = Field(default=300, ge=1, description="Runs driven at once by a worker")
    ownership_seconds: float = Field(default=15, gt=0, description="Ownership without renewal")
    reconcile_seconds: float = Field(default=2, gt=0, description="Pause between reconciliations")
    lost_after_seconds: float = Field(default=60, gt=0, description="Unreachable until lost")
    metrics_port: int | None = Field(default=None, ge=1, le=65535, description="Port of /metrics")
    metrics_host: str = Field(default="127.0.0.1", description="Listen address of metrics_port")
    log_format: Literal["text", "json"] = Field(default="text", description="Format of the logs")
    beat_file: Path | None = Field(default=None, description="Touched while a process works")
    failed_after_hours: float = Field(default=24, gt=0, description="Lost until failed")
    public_url: str | None = Field(
        default=None, pattern=r"^https?://[^\s?#]+$", description="URL of the pages, in webhooks"
    )
    webhook_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        default=(), description="Networks that are not public but allowed for all webhooks"
    )

    @field_validator("trusted_proxies", "webhook_networks", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """Split a comma-separated environment variable."""
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @property
    def resolved_database_url(self) -> str:
        """The SQLAlchemy URL of the database in use."""
        return self.database_url or f"sqlite:///{self.home.resolve() / 'assay.db'}"


def invalid_settings(error: ValidationError) -> str:
    """Describe the invalid environment variables in one line."""
    return "; ".join(f"ASSAY_{e['loc'][0]}".upper() + f": {e['msg']}" for e in error.errors())


@cache
def settings() -> Settings:
    """Return the settings of this process."""
    return Settings()
