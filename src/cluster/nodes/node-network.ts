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
  readonly dns: UdpSocket;
  readonly connect: Connect;
  close(): void;
}

/** What `inside.ts` tells; the socket comes beside it. */
export type FromInside =
  | { readonly type: keyof typeof insidePorts }
  | { readonly type: "connected"; readonly id: number; readonly error?: string };

/** The ports on which nodes reach what this process serves. */
export const insidePorts = { api: 6443, proxy: 3128, dns: 53 } as const;

/** Opens the sockets of a network that only commands behind the words of `enter` are in, and keeps them in this process. */
export async function enterNetwork(enter: readonly string[], address: string): Promise<NodeNetwork> {
  const [program = "", ...words] = [...enter, ...ownProgram("inside"), address];
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
      child.send({ id, host, port });
    });
  };
  const [api, proxy, dns] = [handles.get("api"), handles.get("proxy"), handles.get("dns")];
  return {
    address,
    ports: insidePorts,
    api: api as Server,
    proxy: proxy as Server,
    dns: dns as UdpSocket,
    connect,
    close() {
      for (const each of [api, proxy, dns] as readonly { close(): void }[]) each.close();
      if (child.connected) child.disconnect();
    },
  };
}

/** Returns the words that run a program of this folder, from its source too. */
export function ownProgram(name: string, from: string = import.meta.url): string[] {
  const extension = from.endsWith(".ts") ? "ts" : "js";
  const loader =
    extension === "ts" ? ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")] : [];
  return [process.execPath, ...loader, new URL(`${name}.${extension}`, from).pathname];
}
