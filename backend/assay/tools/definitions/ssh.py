"""Programs that log in from the source at the sink."""

from assay.kinds.programs import ToolDefinition

_KEY = "a key without a passphrase that logs in at the sink as Assay's user there"

_LOGIN = "ssh -F {ssh_config} sink true"

RSYNC = ToolDefinition(
    name="rsync-ssh",
    title="rsync over ssh",
    description="Whole files, no compression, encrypted by ssh.",
    input="files",
    needs_at_source=f"rsync, ssh, and {_KEY}",
    needs_at_sink="rsync",
    source_check=f"command -v rsync && {_LOGIN}",
    sink_check="command -v rsync",
    source_command=(
        "rsync -s -r --whole-file --inplace --no-compress -e {{ssh -F {ssh_config}}} "
        "{source_directory}/ sink:{sink_directory}/"
    ),
)

SCP = ToolDefinition(
    name="scp",
    title="scp",
    description="OpenSSH's copy, encrypted by ssh.",
    input="files",
    needs_at_source=f"scp, and {_KEY}",
    needs_at_sink="the SFTP server of OpenSSH",
    source_check=f"command -v scp && {_LOGIN}",
    source_command="scp -q -F {ssh_config} -r {source_directory}/. sink:{sink_directory}/",
)

SFTP = ToolDefinition(
    name="sftp",
    title="sftp",
    description="OpenSSH's file transfer in batch mode, encrypted by ssh.",
    input="files",
    needs_at_source=f"sftp, and {_KEY}",
    needs_at_sink="the SFTP server of OpenSSH",
    source_check=f"command -v sftp && {_LOGIN}",
    source_command=(
        "cd {source_directory} && sink=$(printf %s {sink_directory} | sed 's/[\"\\]/\\\\&/g') && "
        'printf \'put -r . "%s"\\n\' "$sink" | sftp -q -F {ssh_config} -b - sink'
    ),
)

TAR = ToolDefinition(
    name="tar-over-ssh",
    title="tar over ssh",
    description="All files as one stream through ssh.",
    input="files",
    needs_at_source=f"tar, ssh, and {_KEY}",
    needs_at_sink="tar",
    source_check=f"command -v tar && {_LOGIN}",
    sink_check="command -v tar",
    source_command=(
        "tar -C {source_directory} -cf - . | ssh -F {ssh_config} sink "
        "{{tar -C {sink_directory} -xf -}}"
    ),
)

CAT = ToolDefinition(
    name="cat-over-ssh",
    title="cat over ssh",
    description="A file of records as one stream through ssh.",
    input="records",
    needs_at_source=f"ssh, and {_KEY}",
    needs_at_sink="cat",
    source_check=_LOGIN,
    source_command="ssh -F {ssh_config} sink {{cat > {sink_file}}} < {source_file}",
)
