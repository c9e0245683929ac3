// node zookeeper.mjs SERVICE COMMAND…: runs an operator that expects to be in a pod, and to reach a ZooKeeper behind a Service.
// The ZooKeeper is this process: it knows as much of the protocol as zookeeper-operator uses. Its nodes are named by an annotation of the
// first member's volume, so that they go with it, and outlive this process.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";

const [service = "", ...command] = process.argv.slice(2);
const [cluster = "", namespace = ""] = service.replace("-client.", ".").split(".");
const kubeconfig = process.env["KUBECONFIG"] ?? "";
const client = createClient(await loadConfig({ kubeconfig, env: {} }));
const volume = { namespace, name: `data-${cluster}-0` };
const annotation = "tsbuilder.dev/zookeeper-nodes";

const codes = { connectionLoss: -4, nodeExists: -110, noNode: -101, unimplemented: -6 } as const;
const types = { create: 1, exists: 3, setData: 5, close: -11 } as const;

/** Answers one request: its code of failure, or what follows the header. */
async function answer(type: number, path: string): Promise<number | Buffer> {
  const claim = await client.get(PersistentVolumeClaim, volume);
  const nodes = claim.metadata.annotations?.[annotation]?.split(" ") ?? [];
  const isNew = !nodes.includes(path);
  if (type !== types.create) {
    if (isNew) return codes.noNode;
    // A node's state, of which the operator reads only the version of its data: it is never written by two.
    return type === types.exists || type === types.setData ? Buffer.alloc(68) : codes.unimplemented;
  }
  if (!isNew) return codes.nodeExists;
  if (path.lastIndexOf("/") > 0 && !nodes.includes(dirname(path))) return codes.noNode;
  await client.patch(PersistentVolumeClaim, claim, ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [annotation]: [...nodes, path].join(" ") };
  });
  return framed(path);
}

function framed(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const isPing = (xid: number): boolean => xid === -2;

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
      if (!isPing(request.readInt32BE(0)) && type !== types.close) {
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
const address = `127.${(digest[0]! % 250) + 1}.${digest[1]}.${(digest[2]! % 250) + 1}`;
const server = createServer((socket) => void serve(socket).catch(() => socket.destroy()));
server.listen(2181, address, () => {
  const hosts = `${kubeconfig}.hosts`;
  writeFileSync(hosts, `127.0.0.1 localhost\n${address} ${service}\n`);
  const script = [
    `mount --bind ${hosts} /etc/hosts`,
    "mount -t tmpfs none /run",
    "mkdir -p /run/secrets/kubernetes.io/serviceaccount",
    'printf %s "$POD_NAMESPACE" > /run/secrets/kubernetes.io/serviceaccount/namespace',
    'exec "$@"',
  ].join(" && ");
  const child = spawn("unshare", ["--mount", "sh", "-c", script, "sh", ...command], { stdio: "inherit" });
  child.once("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
});
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => undefined);
