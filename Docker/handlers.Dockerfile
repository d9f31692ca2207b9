# The example handlers that compose.yaml starts, one target for each language: the same program, which masks words in
# posts. From the root of the package: docker build -f Docker/handlers.Dockerfile --target python -t baton-wordlist .
#
# For a handler of your own, take the lines of its language, with your program in the place of the example.
ARG SHELL_BASE=docker.io/library/debian:bookworm-slim
ARG PYTHON_BASE=docker.io/library/python:3.13-slim-bookworm
ARG NODE_BASE=docker.io/library/node:22-bookworm-slim
ARG SWIFT_BUILD_BASE=docker.io/library/swift:6.3-bookworm
ARG SWIFT_BASE=docker.io/library/debian:bookworm-slim
# The server's image, of which the last target takes the program.
ARG BATON_IMAGE=baton

FROM ${SHELL_BASE} AS shell
RUN apt-get update -qq \
  && apt-get install -qq -y --no-install-recommends netcat-openbsd \
  && rm -rf /var/lib/apt/lists/*
COPY Clients/shell/wordlist /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["wordlist"]

FROM ${PYTHON_BASE} AS python
COPY Clients/python /baton-client
RUN pip install --no-cache-dir --root-user-action=ignore /baton-client
COPY Clients/python/examples/wordlist.py /
USER 65532:65532
ENTRYPOINT ["python", "/wordlist.py"]

FROM ${NODE_BASE} AS node
COPY Clients/node /baton-client
USER 65532:65532
ENTRYPOINT ["node", "/baton-client/examples/wordlist.mjs"]

# The same steps as for the server.
FROM ${SWIFT_BUILD_BASE} AS swift-build
RUN apt-get update -qq \
  && apt-get install -qq -y --no-install-recommends \
    libcurl4-openssl-dev libsqlite3-dev libssl-dev libuv1-dev libyaml-dev pkg-config \
  && rm -rf /var/lib/apt/lists/*
RUN cd "$(pkg-config --variable=libdir libuv-static)" \
  && ln -sf libuv_a.a libuv.so \
  && for name in yaml ssl crypto sqlite3; do ln -sf "lib$name.a" "lib$name.so"; done
WORKDIR /baton
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
COPY Tests Tests
COPY Clients Clients
RUN swift build -c release --product baton-example-wordlist --static-swift-stdlib -Xlinker -s \
  && install -D "$(swift build -c release --show-bin-path)/baton-example-wordlist" /image/usr/local/bin/wordlist

FROM ${SWIFT_BASE} AS swift
COPY --from=swift-build /image /
USER 65532:65532
ENTRYPOINT ["wordlist"]

# Posts messages to a web service: docker run baton-post 'door.*' --post https://shop.example/door --server HOST:PORT
FROM ${BATON_IMAGE} AS baton

FROM ${SHELL_BASE} AS post
RUN apt-get update -qq \
  && apt-get install -qq -y --no-install-recommends ca-certificates libcurl4 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=baton /usr/local/bin/baton /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["baton", "handle"]
