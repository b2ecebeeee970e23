# syntax=docker/dockerfile:1
# Polylogue on one node. Build: docker build -t polylogue . Run: see compose.yaml and docs/guide/container.md.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --include=dev --no-audit --no-fund && node scripts/pack.mjs

FROM node:24-bookworm-slim
# bubblewrap confines commands of agents where the host lets containers make user namespaces.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ca-certificates git && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/dist/polylogue-[0-9]*.tgz /tmp/polylogue.tgz
RUN npm install --global --omit=dev --no-audit --no-fund /tmp/polylogue.tgz && rm -rf /tmp/polylogue.tgz /root/.npm
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
WORKDIR /data
ENV NODE_ENV=production POLYLOGUE_DATA=/data
VOLUME /data
EXPOSE 8020
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8020/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["polylogue"]
CMD ["serve", "--host", "0.0.0.0"]
