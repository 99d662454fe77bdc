# QuantShelf over HTTP; docs/hosts.md says how to run it.
FROM node:22-slim AS build
WORKDIR /build
COPY . .
# Nothing here needs an install script: on Node 22 the SQLite binding brings its binaries.
RUN npm ci --ignore-scripts && npm run build && npm pack --ignore-scripts

FROM node:22-slim
COPY --from=build /build/quantshelf-*.tgz /tmp/
RUN npm install --global --ignore-scripts /tmp/quantshelf-*.tgz \
  && npm cache clean --force \
  && rm /tmp/quantshelf-*.tgz \
  && install -d -o node -g node -m 700 /shelf
ENV QUANTSHELF_HOME=/shelf
USER node
VOLUME /shelf
EXPOSE 8787
HEALTHCHECK --start-period=10s --interval=60s --timeout=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["quantshelf"]
CMD ["serve", "--host", "0.0.0.0"]
