import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { resetSocket } from "./fault-proxy.ts";

/** Connects to a server that does something with each connection, and says how both ends learned of its end. */
async function breakBy(act: (socket: Socket) => void): Promise<{ server: string; client: string }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
  const [accepted] = (await once(server, "connection")) as [Socket];
  const ends = [accepted, client].map(
    (socket) =>
      new Promise<string>((resolve) => {
        let code = "no error";
        socket.on("error", (error: NodeJS.ErrnoException) => (code = error.code ?? error.message));
        socket.on("close", () => resolve(code));
      }),
  );
  act(accepted);
  const [ofServer, ofClient] = await Promise.all(ends);
  return { server: ofServer!, client: ofClient! };
}

test("a connection is reset", async () => {
  expect(await breakBy(resetSocket)).toEqual({ server: "no error", client: "ECONNRESET" });
});

test("a connection whose own side is just ending is closed, without an error and a handle that stays open", async () => {
  const ends = await breakBy((socket) => {
    socket.end("last words");
    resetSocket(socket);
  });
  expect(ends).toEqual({ server: "no error", client: "no error" });
});
