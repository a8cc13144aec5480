"""API types of exports."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Format = Literal["csv", "parquet"]
RunRows = Literal["trials", "samples"]
ComparedRows = Literal["figures", "conditions", "trials", "samples"]

EXAMPLE_CSV = (
    "campaign_id,campaign,run_id,test,host,target,trial_id,repeat,block_bytes,threads,"
    "durable_bytes_per_s\r\n"
    "7,vault after the firmware update,42,Write matrix,vault,/mnt/vault,301,0,262144,2,"
    "1183201337.5\r\n"
)


class ExportSize(BaseModel):
    """How much an export of the selected runs has, and the formats of this installation.

    The file has a row for each of `trials`, two for those that write and read, or one for each of
    `samples`, without samples that were removed.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"runs": 12, "trials": 960, "samples": 57_600, "formats": ["csv", "parquet"]}
            ]
        }
    )

    runs: int
    trials: int
    samples: int
    formats: list[Format] = Field(description="`parquet` needs pyarrow on the appliance")
