#!/usr/bin/env bash
# Runs once, after the container was created: installs dependencies, and kind for the end-to-end tests.
set -euo pipefail

KIND_VERSION=v0.31.0

npm ci --no-fund

arch="$(dpkg --print-architecture)"
curl --fail --silent --show-error --location --output /tmp/kind \
  "https://kind.sigs.k8s.io/dl/${KIND_VERSION}/kind-linux-${arch}"
sudo install -m 0755 /tmp/kind /usr/local/bin/kind
rm /tmp/kind

echo 'eval "$(npx --no-install tsbuilder completion bash)"' >>"${HOME}/.bashrc"
