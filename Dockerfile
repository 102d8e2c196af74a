# Bellwire as an image: the page is built in one stage, the run-time packages are installed in another, and the last
# one has these two, our sources and Node. TypeScript runs as it is, so nothing of the server is built.
#
# test/image.long.test.ts builds it and runs what it made; test/container.long.test.ts does what it says without any engine.
FROM node:26.10.0-bookworm-slim AS page
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node tools/web.ts

FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Optional ones are the Node that npm brings elsewhere; here it is the image's own.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-bookworm-slim
LABEL org.opencontainers.image.title="Bellwire" \
      org.opencontainers.image.description="Outbound webhook delivery: signed, retried for days, never lost" \
      org.opencontainers.image.licenses="MIT"
# NODE_OPTIONS: a heap that leaves room for bodies in 512 MB (docs/size.md). Set it anew where a node may have more.
# SQLITE_TMPDIR: SQLite sorts there what its memory does not hold; a read-only root has no other place for it.
ENV NODE_ENV=production \
    NODE_OPTIONS="--max-old-space-size=192 --max-semi-space-size=8" \
    BELLWIRE_HOST=0.0.0.0 \
    BELLWIRE_DATA_DIR=/data \
    SQLITE_TMPDIR=/data
WORKDIR /app
# Owned by root, read by everybody: whoever runs the service cannot change it.
COPY --from=packages /app/node_modules ./node_modules
COPY --from=page /app/web/dist ./web/dist
COPY package.json LICENSE THIRD-PARTY.md ./
COPY bin ./bin
COPY src ./src
# The image's user `node`, by number, as Kubernetes needs it to see that it is not root.
RUN install -d -o 1000 -g 1000 -m 0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 7070
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BELLWIRE_PORT || 7070}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node handles the signals of a stop itself and starts no other process, so that it may be the first one.
ENTRYPOINT ["node", "bin/bellwire.js"]
CMD ["serve"]
