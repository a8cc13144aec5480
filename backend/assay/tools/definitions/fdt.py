"""FDT, whose jar is at both ends.

What the commands rely on, from its sources (0.25 to 0.26): a client first asks the server's port
for one of its transfer ports (`-tp`; older versions ignore that and use the server's port), and
sends all of its streams there. The receiver puts each file into the destination under its bare
name, while some versions keep the name of a directory given with `-r`; so files are given, which
are named alike in all of them. Without `-notmp` a file has another name until after the last byte,
when the transfer may already count as over. The server runs until it is ended, because with `-S` it
may end between the question for a port and the transfer.
"""

from assay.kinds.programs import ToolDefinition

JAR = "/opt/fdt/fdt.jar"

FDT = ToolDefinition(
    name="fdt",
    title="FDT",
    description=(
        "Fast Data Transfer: its jar at both ends, four TCP streams. It leaves a log in /tmp."
    ),
    input="files",
    needs_at_source=f"Java, and FDT's jar as {JAR}",
    needs_at_sink=f"Java, FDT's jar as {JAR}, and two ports that the source reaches",
    source_check=f"command -v java && test -r {JAR}",
    sink_check=f"command -v java && test -r {JAR}",
    source_command=(
        "cd {source_directory} && "
        f"exec java -Duser.home={{source_scratch}} -jar {JAR} -c {{sink_address}} -p {{port}} "
        "-P 4 -noupdates -nolock -notmp -d {sink_directory} *"
    ),
    sink_command=(
        f"exec java -Duser.home={{sink_scratch}} -jar {JAR} -p {{port}} -tp {{second_port}} "
        "-noupdates -nolock -notmp"
    ),
    ready="port",
)
