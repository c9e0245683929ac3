// node zookeeper.cjs SERVICE COMMAND…: runs an operator that expects to be in a pod, and to reach a ZooKeeper behind a Service.
// The ZooKeeper is this process: it knows as much of the protocol as zookeeper-operator uses. Its data are those of the volume of the
// first member, so that they go with it; a file beside the kubeconfig keeps them while the operator is restarted.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";

const [service = "", ...command] = process.argv.slice(2);
const [cluster = "", namespace = ""] = service.replace("-client.", ".").split(".");
const kubeconfig = process.env["KUBECONFIG"] ?? "";
const file = `${kubeconfig}.zookeeper.json`;

/** The nodes' versions by their paths, for each volume. */
const volumes: Record<string, Record<string, number>> = existsSync(file)
  ? (JSON.parse(readFileSync(file, "utf8")) as typeof volumes)
  : {};

// The session's own kubeconfig, if there is one: a request of this server is none of the operator's.
const own = join(dirname(kubeconfig), "kubeconfig");
const config = await loadConfig({ kubeconfig: existsSync(own) ? own : kubeconfig, env: {} });
const client = createClient(config);

async function nodesOfVolume(): Promise<Record<string, number>> {
  const claim = await client.get(PersistentVolumeClaim, { namespace, name: `data-${cluster}-0` });
  return (volumes[claim?.metadata.uid ?? "none"] ??= {});
}

const codes = { connectionLoss: -4, nodeExists: -110, noNode: -101, unimplemented: -6 } as const;

/** Answers one request: its code of failure, or what follows the header. */
async function answer(type: number, path: string): Promise<number | Buffer> {
  const nodes = await nodesOfVolume();
  const version = nodes[path];
  const isNew = version === undefined;
  if (type === 1) {
    if (!isNew) return codes.nodeExists;
    if (path.lastIndexOf("/") > 0 && nodes[dirname(path)] === undefined) return codes.noNode;
    nodes[path] = 0;
  } else if (isNew) return codes.noNode;
  else if (type === 5) nodes[path] = version + 1;
  else if (type !== 3) return codes.unimplemented;
  writeFileSync(file, JSON.stringify(volumes));
  return type === 1 ? framed(path) : stat(nodes[path]!);
}

function framed(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A node's state, of which the operator reads only the version of its data. */
function stat(version: number): Buffer {
  const bytes = Buffer.alloc(68);
  bytes.writeInt32BE(version, 32);
  return bytes;
}

const isPing = (xid: number): boolean => xid === -2;
const isClose = (type: number): boolean => type === -11;

async function serve(socket: Socket): Promise<void> {
  let rest = Buffer.alloc(0);
  let hasSession = false;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const request = rest.subarray(4, 4 + rest.readInt32BE(0));
      rest = rest.subarray(4 + request.length);
      if (!hasSession) {
        hasSession = true;
        const session = Buffer.alloc(16);
        session.writeInt32BE(request.readInt32BE(12), 4);
        session.writeInt32BE(1, 12);
        socket.write(framed(Buffer.concat([session, framed("0".repeat(16))])));
        continue;
      }
      const header = Buffer.alloc(16);
      header.writeInt32BE(request.readInt32BE(0), 0);
      const type = request.readInt32BE(4);
      let body: number | Buffer = Buffer.alloc(0);
      if (!isPing(request.readInt32BE(0)) && !isClose(type)) {
        const path = request.toString("utf8", 12, 12 + request.readInt32BE(8));
        body = await answer(type, path).catch(() => codes.connectionLoss);
      }
      if (typeof body === "number") header.writeInt32BE(body, 12);
      socket.write(framed(Buffer.concat(typeof body === "number" ? [header] : [header, body])));
    }
  }
}

// Several operators on this machine have an address of their own each.
const digest = createHash("sha256").update(kubeconfig).digest();
const address = `127.${digest[0]! % 250 + 1}.${digest[1]}.${digest[2]! % 250 + 1}`;
const server = createServer((socket) => void serve(socket).catch(() => socket.destroy()));
server.listen(2181, address, () => {
  const folder = mkdtempSync(join(tmpdir(), "pod-"));
  writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost\n${address} ${service}\n`);
  writeFileSync(join(folder, "namespace"), process.env["POD_NAMESPACE"] ?? "");
  const script = [
    `mount --bind ${folder}/hosts /etc/hosts`,
    "mount -t tmpfs none /run",
    "mkdir -p /run/secrets/kubernetes.io/serviceaccount",
    `cp ${folder}/namespace /run/secrets/kubernetes.io/serviceaccount/`,
    'exec "$@"',
  ].join(" && ");
  const child = spawn("unshare", ["--mount", "sh", "-c", script, "sh", ...command], { stdio: "inherit" });
  child.once("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
});
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => undefined);
