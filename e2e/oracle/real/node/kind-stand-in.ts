import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { containerdSocket } from "../../../../src/cluster/nodes/node-files.ts";
import type { RealNode } from "./start-node.ts";

/** Writes `bin/kind`, which answers as kind does, for a cluster that is there already, whatever its name. */
export function writeKind({ folder, insideKubeconfig, names }: RealNode): void {
  mkdirSync(join(folder, "bin"));
  const sockets = names.map((name) => containerdSocket(join(folder, name))).join(" ");
  const script = `#!/bin/sh
set -e
load() { for socket in ${sockets}; do ctr --address "$socket" --namespace k8s.io images import "$1"; done; }
case "$1 $2" in
"get kubeconfig") cat ${insideKubeconfig} ;;
"load docker-image") docker save --output ${folder}/kind.tar "$3"; load ${folder}/kind.tar ;;
"load image-archive") load "$3" ;;
*) echo "no kind here: $*" >&2; exit 1 ;;
esac
`;
  writeFileSync(join(folder, "bin/kind"), script, { mode: 0o755 });
}
