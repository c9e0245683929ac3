import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import { type FromInside, insidePorts } from "./node-network.ts";

// The program that opens sockets in a sandbox's network for the process outside, to which it hands them over: a socket stays in
// the network in which it was opened. Its argument is the address of the node.

const [address = ""] = process.argv.slice(2);
const send = process.send!.bind(process) as (
  message: FromInside,
  handle?: unknown,
  sent?: () => void,
) => boolean;

for (const type of ["api", "proxy"] as const) {
  const server = createServer().listen(insidePorts[type], address, () =>
    send({ type }, server, () => server.close()),
  );
}
const dns = createSocket("udp4").bind(insidePorts.dns, address, () =>
  send({ type: "dns" }, dns, () => dns.close()),
);

process.on("message", ({ id, host, port }: { id: number; host: string; port: number }) => {
  const socket = connect({ host, port });
  // What arrives is for the process outside.
  socket.pause();
  socket.once("connect", () => send({ type: "connected", id }, socket));
  socket.on("error", ({ message }) => send({ type: "connected", id, error: message }));
});
process.once("disconnect", () => process.exit());
