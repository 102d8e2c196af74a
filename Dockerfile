# Bellwire as an image: one stage builds the program and the little system that Node needs, the last one has these two.
# The released program starts in half the time of its sources, and finds its own compiled code in the image.
#
# test/image.long.test.ts builds it and runs what it made; test/container.long.test.ts does what it says without engine.
FROM node:26.10.0-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node tools/web.ts && node tools/release/release.ts --program /app
# Node without its symbols, the libraries that it names, and what a C library asks of a system: a user, how names are
# looked up, and a place for temporary files.
RUN install -d /system/usr/local/bin /system/etc /system/app/cache && install -d -m 1777 /system/tmp \
 && install -d -o 1000 -g 1000 -m 0700 /system/data \
 && strip -o /system/usr/local/bin/node "$(command -v node)" \
 && cp --parents --dereference $(ldd "$(command -v node)" | grep -o '/[^ ]*') /system \
 && echo 'node:x:1000:1000::/:/' > /system/etc/passwd && echo 'hosts: files dns' > /system/etc/nsswitch.conf

FROM scratch AS program
COPY --from=build /system /
# Owned by root, read by everybody: whoever runs the service cannot change it.
COPY --from=build /app /app
# NODE_OPTIONS: a heap that leaves room for bodies in 512 MB (docs/size.md). Set it anew where a node may have more.
# SQLITE_TMPDIR: SQLite sorts there what its memory does not hold; a read-only root has no other place for it.
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    NODE_OPTIONS="--max-old-space-size=192 --max-semi-space-size=8" \
    NODE_COMPILE_CACHE=/app/cache \
    BELLWIRE_HOST=0.0.0.0 \
    BELLWIRE_DATA_DIR=/data \
    SQLITE_TMPDIR=/data
WORKDIR /app
# The user `node`, by number, as Kubernetes needs it to see that it is not root.
USER 1000:1000

# The compiled code belongs to these options and this user: another one's starts compile anew, and work.
FROM program AS warm
COPY --from=build --chown=1000:1000 /system/app/cache /app/cache
RUN ["node", "bin/bellwire.js", "demo", "--for", "3"]

FROM program
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Bellwire" \
      org.opencontainers.image.description="Outbound webhook delivery: signed, retried for days, never lost" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=warm --chown=0:0 --chmod=0555 /app/cache /app/cache
VOLUME /data
EXPOSE 7070
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BELLWIRE_PORT || 7070}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node handles the signals of a stop itself and starts no other process, so that it may be the first one.
ENTRYPOINT ["node", "bin/bellwire.js"]
CMD ["serve"]
