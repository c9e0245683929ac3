import { spawn } from "node:child_process";
import type { Socket as UdpSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Connect } from "../contract/kubelet-tls.ts";

/** How this process and the network of nodes reach each other. */
export interface NodeNetwork {
  /** The address of this process as nodes see it. */
  readonly address: string;
  readonly ports: { readonly api: number; readonly dns: number; readonly proxy?: number };
  /** Accept connections from nodes: to the API server, and to a proxy for pulls of images if they reach no registry. */
  readonly api: Server;
  readonly proxy?: Server;
  /** Receive queries about names, on the same port by UDP and TCP. */
  readonly dns: UdpSocket;
  readonly dnsByTcp: Server;
  readonly connect: Connect;
  close(): void;
}

/** A message of the program inside; the socket comes beside it. */
type FromInside =
  | { readonly type: keyof typeof insidePorts }
  | { readonly type: "connected"; readonly id: number; readonly error?: string };

/** The ports on which nodes reach what this process serves. */
const insidePorts = { api: 6443, proxy: 3128, dns: 53, dnsByTcp: 53 } as const;

/** Opens the sockets of a network that only commands behind the words of `enter` are in, and keeps them in this process. */
export async function enterNetwork(enter: readonly string[], address: string): Promise<NodeNetwork> {
  const [program, ...words] = [...enter, process.execPath, "-e", insideProgram, address];
  const child = spawn(program, words, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const connecting = new Map<number, (told: FromInside, socket?: Duplex) => void>();
  const handles = new Map<string, unknown>();
  let lastId = 0;
  const ended = new Promise<never>((_, reject) => {
    child.once("exit", (code, signal) =>
      reject(new Error(`the nodes' network ended with ${code ?? signal}`)),
    );
    child.once("error", reject);
  });
  ended.catch((error: Error) => {
    for (const [id, settle] of connecting) settle({ type: "connected", id, error: error.message });
  });
  const opened = new Promise<void>((resolve) => {
    child.on("message", (told: FromInside, handle) => {
      if (told.type === "connected") connecting.get(told.id)?.(told, handle as Socket | undefined);
      else if (handles.set(told.type, handle).size === Object.keys(insidePorts).length) resolve();
    });
  });
  await Promise.race([opened, ended]);
  const connect: Connect = (host, port) => {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      connecting.set(id, (told, socket) => {
        connecting.delete(id);
        if (socket) resolve(socket);
        else reject(new Error((told as { error?: string }).error ?? `cannot connect to ${host}:${port}`));
      });
      child.send({ id, host, port }, (error) => {
        if (error) connecting.get(id)?.({ type: "connected", id, error: error.message });
      });
    });
  };
  const sockets = Object.fromEntries(handles) as Pick<NodeNetwork, keyof typeof insidePorts>;
  return {
    address,
    ports: insidePorts,
    ...sockets,
    connect,
    close() {
      for (const each of Object.values(sockets)) each?.close();
      if (child.connected) child.disconnect();
    },
  };
}

/**
 * The program that opens sockets inside and hands them over: a socket stays in the network in which it was opened. A connection is
 * paused, as what arrives is for the process outside. It is a text, because bundles of the cluster are one file.
 */
const insideProgram = `
const { createSocket } = require("node:dgram");
const { connect, createServer } = require("node:net");
const address = process.argv[1];
const ports = ${JSON.stringify(insidePorts)};
const send = (message, socket, sent) => process.connected && process.send(message, socket, sent);
for (const type of ["api", "proxy", "dnsByTcp"]) {
  const server = createServer().listen(ports[type], address, () => send({ type }, server, () => server.close()));
}
const dns = createSocket("udp4").bind(ports.dns, address, () => send({ type: "dns" }, dns, () => dns.close()));
process.on("message", ({ id, host, port }) => {
  const socket = connect({ host, port }).pause();
  socket.once("connect", () => send({ type: "connected", id }, socket));
  socket.on("error", ({ message }) => send({ type: "connected", id, error: message }));
});
process.once("disconnect", () => process.exit());
`;
