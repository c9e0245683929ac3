// Running a command in a container, over a WebSocket as `kubectl exec` does. In this folder `log-lines.ts` reads logs;
// `options.ts` has the types of both, and of forwarded ports.

import { PassThrough, Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Status } from "@tsbuilder/apimachinery/meta";
import { onAbort, unlessAborted } from "../clock/waits.ts";
import { ApiError } from "../errors/api-error.ts";
import type { RawRequest, RawResponse, WebSocketConnection } from "../http/transport.ts";
import type { CommandInput, ExecOptions, ExecResult, TerminalSize } from "./options.ts";

/** The first version of the remote command protocol that has a message for the end of the input. */
const protocol = "v5.channel.k8s.io";

/** Runs a command in a container, and resolves when it has ended; see `Containers.exec`. */
export async function execute(
  path: string,
  command: readonly string[],
  options: ExecOptions,
  send: (request: RawRequest) => Promise<RawResponse>,
): Promise<ExecResult> {
  const { container, tty, stdin, signal } = options;
  const streams = { stdin: stdin !== undefined, stdout: true, stderr: !tty, tty: tty ?? false };
  const outputs = { stdout: outputTo(options.stdout), stderr: outputTo(options.stderr) };
  let socket: WebSocketConnection | undefined;
  try {
    const query = { command, container, ...streams };
    socket = (await send({ path, query, webSocket: [protocol], signal })).webSocket!;
    const exitCode = await exchange(socket, options, outputs, `GET ${path}`);
    socket.close();
    const [stdout, stderr] = await Promise.all([outputs.stdout.end(), outputs.stderr.end()]);
    return { exitCode, stdout, stderr };
  } catch (error) {
    socket?.destroy();
    for (const output of [outputs.stdout, outputs.stderr]) output.fail(error as Error);
    throw error;
  }
}

/** Takes what a command writes. */
interface CommandOutput {
  /** Resolves when more can be taken. */
  write(chunk: Buffer): Promise<void>;
  /** The command has ended. Resolves with the collected output, or with an empty text if it went to a stream. */
  end(): Promise<string>;
  fail(error: Error): void;
}

/** Passes the output on to a stream, or collects it. */
function outputTo(stream: Writable | undefined): CommandOutput {
  return stream ? passOutputOn(stream) : collectOutput();
}

function collectOutput(): CommandOutput {
  const chunks: Buffer[] = [];
  return {
    write: async (chunk) => void chunks.push(chunk),
    end: async () => Buffer.concat(chunks).toString("utf8"),
    fail: () => {},
  };
}

function passOutputOn(stream: Writable): CommandOutput {
  const source = new PassThrough();
  // The streams of this process can't be ended.
  const end = stream !== process.stdout && stream !== process.stderr;
  const passed = pipeline(source, stream, { end });
  // `write` and `end` report this error.
  passed.catch(() => {});
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        source.write(chunk, (error) => {
          if (error) void passed.catch(reject);
          else resolve();
        });
      }),
    async end() {
      source.end();
      await passed;
      return "";
    },
    fail: (error) => void source.destroy(error),
  };
}

/** The first byte of a message says what it carries. */
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 };

interface Outputs {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
}

/** Sends and receives until the exit code is known. */
async function exchange(
  socket: WebSocketConnection,
  { stdin, resize, signal }: ExecOptions,
  outputs: Outputs,
  request: string,
): Promise<number> {
  const ended = new AbortController();
  const send = (...channel: readonly number[]) => {
    return (piece: Buffer) => socket.send(Buffer.concat([Buffer.from(channel), piece]));
  };
  const failed = new Promise<never>((_, reject) => {
    const end = send(channels.close, channels.stdin);
    if (stdin !== undefined) sendInput(stdin, ended.signal, send(channels.stdin), end).catch(reject);
    if (resize) sendInput(sizeMessages(resize), ended.signal, send(channels.resize)).catch(reject);
  });
  try {
    return await Promise.race([receive(socket, outputs, signal, request), failed]);
  } finally {
    ended.abort();
  }
}

/** Longer input is cut into pieces, so that a command that reads slowly slows the sender down. */
const maxPieceLength = 32_768;

type Send = (piece: Buffer) => Promise<void>;

/**
 * Sends all input in pieces, and that it has ended, unless the command ends first. Rejects if the input can't be read.
 * If it can't be sent, the connection has ended, which its reader finds out by itself.
 */
async function sendInput(input: CommandInput, ended: AbortSignal, send: Send, sendEnd?: Send): Promise<void> {
  const source =
    input instanceof Readable ? input : Readable.from(input instanceof Uint8Array ? [input] : input);
  // The loop below gets the stream's error. Without a listener, a later "error" event would end the process.
  source.on("error", ignore);
  try {
    for await (const chunk of read(source, ended)) {
      const bytes = Buffer.from(chunk as Uint8Array);
      for (let at = 0; at < bytes.length; at += maxPieceLength) {
        if (!(await isSent(send(bytes.subarray(at, at + maxPieceLength))))) return;
      }
    }
    if (sendEnd) await isSent(sendEnd(Buffer.alloc(0)));
  } finally {
    // The process may have other uses for its own input, which must not keep it running.
    if (source === process.stdin) source.off("error", ignore).pause();
    else source.destroy();
  }
}

function ignore(): void {}

/** Reads a stream until its end or the signal. The stream's own iterator would wait for a chunk despite the signal. */
async function* read(source: Readable, ended: AbortSignal): AsyncGenerator {
  while (!ended.aborted) {
    const chunk: unknown = source.read();
    if (chunk !== null) yield chunk;
    else if (source.errored) throw source.errored;
    else if (source.readableEnded) return;
    else if (source.destroyed) throw new Error("the input of the command was closed before its end");
    else await waitForChange(source, ended);
  }
}

/** Resolves when there may be something to read, or nothing more. */
function waitForChange(source: Readable, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const events = ["readable", "end", "error", "close"] as const;
    const forget = onAbort(ended, settle);
    for (const event of events) source.on(event, settle);
    function settle(): void {
      forget();
      for (const event of events) source.off(event, settle);
      resolve();
    }
  });
}

/** Sends the sizes of a terminal as the server reads them. */
async function* sizeMessages(
  sizes: Iterable<TerminalSize> | AsyncIterable<TerminalSize>,
): AsyncGenerator<string> {
  for await (const { columns, rows } of sizes) yield JSON.stringify({ Width: columns, Height: rows });
}

/** Resolves with false if the connection has ended. */
function isSent(sending: Promise<void>): Promise<boolean> {
  return sending.then(
    () => true,
    () => false,
  );
}

/** Writes the output until the status of the command arrives, and returns its exit code. */
async function receive(
  socket: WebSocketConnection,
  { stdout, stderr }: Outputs,
  signal: AbortSignal | undefined,
  request: string,
): Promise<number> {
  for await (const message of socket) {
    const [channel] = message;
    const content = message.subarray(1);
    if (channel === channels.stdout) await unlessAborted(stdout.write(content), signal);
    else if (channel === channels.stderr) await unlessAborted(stderr.write(content), signal);
    else if (channel === channels.status)
      return exitCodeOf(JSON.parse(content.toString("utf8")) as Partial<Status>, request);
  }
  throw new ApiError(
    { code: 0, reason: "Unreachable", message: "the connection ended before the command did" },
    { request },
  );
}

/** Reads the exit code from a Status; throws an `ApiError` if the command did not run. */
function exitCodeOf(status: Partial<Status>, request: string): number {
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message);
  if (status.reason === "NonZeroExitCode" && Number.isInteger(code)) return code;
  throw new ApiError(status, { request });
}
