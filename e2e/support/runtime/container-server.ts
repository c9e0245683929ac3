import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { ClusterConfig } from "../../../src/runtime/http/config.ts";

/** A command as the stand-in runs it. */
export interface StandInProcess {
  readonly command: readonly string[];
  /** Ends when the client says that its input has ended. */
  readonly stdin: AsyncIterable<Buffer>;
  /** The sizes of the terminal so far. */
  readonly sizes: readonly object[];
  /** Resolves when the network has taken it. */
  readonly write: (channel: "stdout" | "stderr", chunk: string | Buffer) => Promise<void>;
}

/** How the stand-in behaves. */
export interface ContainerBehaviour {
  /** Returns the Status that ends the command; undefined breaks the connection. */
  readonly run?: (process: StandInProcess) => Promise<object | undefined>;
  /** Answers a request that has no WebSocket, and one that gets none. */
  readonly answer?: (
    request: IncomingMessage,
  ) => { readonly code: number; readonly body: string } | undefined;
  readonly tls?: https.ServerOptions;
}

/** A stand-in for an API server with containers behind it: it speaks their protocols, and runs functions. */
export interface ContainerServer {
  readonly config: ClusterConfig;
  readonly requests: readonly IncomingMessage[];
  /** Open connections. */
  readonly open: number;
  /** How often a client asked whether the server is still there. */
  readonly pings: number;
}

/** Starts it on the loopback interface; it ends with the test. Ports of its pods are those of this machine. */
export async function startContainerServer(behaviour: ContainerBehaviour): Promise<ContainerServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let pings = 0;
  const sessions = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].find((name) => /^v[45]\.channel/.test(name)) ?? false,
  });
  const onRequest = (request: IncomingMessage): string | undefined => {
    requests.push(request);
    const answer = behaviour.answer?.(request);
    return (
      answer &&
      `HTTP/1.1 ${answer.code} Answer\r\ncontent-length: ${Buffer.byteLength(answer.body)}\r\n\r\n${answer.body}`
    );
  };
  const server = behaviour.tls ? https.createServer(behaviour.tls) : http.createServer();
  server.on("request", (request: IncomingMessage) =>
    request.socket.write(onRequest(request) ?? "HTTP/1.1 404 -\r\n\r\n"),
  );
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, socket: Socket, head) => {
    // As the API server: what is connected has no representation, so it must not be asked for one.
    if (!(request.headers.accept ?? "*/*").includes("*/*")) return socket.end("HTTP/1.1 406 -\r\n\r\n");
    const refusal = onRequest(request);
    if (refusal) return socket.end(refusal);
    return sessions.handleUpgrade(request, socket, head, (session) => {
      session.on("error", () => {});
      session.on("ping", () => void pings++);
      const { pathname, searchParams } = new URL(request.url!, "http://server");
      if (pathname.endsWith("/portforward")) forward(session, Number(searchParams.get("ports")));
      else void runCommand(session, searchParams.getAll("command"), behaviour.run!);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const scheme = behaviour.tls ? "https" : "http";
  return {
    config: { server: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}` },
    requests,
    get open() {
      return sockets.size;
    },
    get pings() {
      return pings;
    },
  };
}

async function runCommand(
  session: WebSocket,
  command: readonly string[],
  run: (process: StandInProcess) => Promise<object | undefined>,
): Promise<void> {
  const sizes: object[] = [];
  const input: (Buffer | undefined)[] = [];
  let wake = (): void => {};
  session.on("message", (message: Buffer) => {
    if (message[0] === 4) sizes.push(JSON.parse(message.subarray(1).toString()) as object);
    else {
      input.push(message[0] === 255 ? undefined : message.subarray(1));
      session.pause();
    }
    wake();
  });
  async function* stdin(): AsyncGenerator<Buffer> {
    for (;;) {
      if (input.length === 0) {
        session.resume();
        await new Promise<void>((resolve) => (wake = resolve));
      } else {
        const piece = input.shift();
        if (!piece) return session.resume();
        yield piece;
      }
    }
  }
  const send = (channel: number, chunk: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      session.send(Buffer.concat([Buffer.of(channel), Buffer.from(chunk as Buffer)]), () => resolve());
    });
  const status = await run({
    command,
    stdin: stdin(),
    sizes,
    write: (channel, chunk) => send(channel === "stdout" ? 1 : 2, chunk),
  });
  if (!status) return session.terminate();
  await send(3, JSON.stringify(status));
  return session.close(1000);
}

/** As a kubelet does: both channels begin with the port, and all ends with the connection in the pod. */
function forward(session: WebSocket, port: number): void {
  const [low, high] = [port & 255, port >> 8];
  session.send(Buffer.of(0, low, high));
  session.send(Buffer.of(1, low, high));
  const target = net.connect(port, "127.0.0.1");
  session.on("message", (message: Buffer) => target.write(message.subarray(1)));
  session.on("close", () => target.destroy());
  target.on("data", (chunk) => {
    target.pause();
    session.send(Buffer.concat([Buffer.of(0), chunk]), () => target.resume());
  });
  target.on("error", ({ message }) => session.send(Buffer.concat([Buffer.of(1), Buffer.from(message)])));
  target.on("close", () => session.close(1000));
}
