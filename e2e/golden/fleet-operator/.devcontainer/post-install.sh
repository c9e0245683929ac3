#!/usr/bin/env bash
# Runs once, after the container was created: installs dependencies, and kind for the end-to-end tests.
set -euo pipefail

# All three change together: the checksums are in the release's kind-linux-<arch>.sha256sum.
KIND_VERSION=v0.31.0
KIND_SHA256_amd64=eb244cbafcc157dff60cf68693c14c9a75c4e6e6fedaf9cd71c58117cb93e3fa
KIND_SHA256_arm64=8e1014e87c34901cc422a1445866835d1e666f2a61301c27e722bdeab5a1f7e4

npm ci

arch="$(dpkg --print-architecture)"
curl --fail --silent --show-error --location --output /tmp/kind \
  "https://kind.sigs.k8s.io/dl/${KIND_VERSION}/kind-linux-${arch}"
checksum="KIND_SHA256_${arch}"
echo "${!checksum}  /tmp/kind" | sha256sum --check --strict
sudo install -m 0755 /tmp/kind /usr/local/bin/kind
rm /tmp/kind

echo 'eval "$(npx --no-install tsbuilder completion bash)"' >>"${HOME}/.bashrc"
