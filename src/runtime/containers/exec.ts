import type { Status } from "@tsbuilder/apimachinery/meta";
import { unlessAborted } from "../clock/on-abort.ts";
import { ApiError } from "../errors/api-error.ts";
import type { RawRequest, RawResponse, WebSocketConnection } from "../http/transport.ts";
import { sendInput, sizeMessages } from "./command-input.ts";
import { type CommandOutput, outputTo } from "./command-output.ts";
import { exitCodeOf } from "./exit-status.ts";
import type { ExecOptions, ExecResult } from "./options.ts";

/** The first version in which the end of the input can be told. */
const protocol = "v5.channel.k8s.io";

/** The first byte of a message. */
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 };

/** Runs a command in a container, and resolves when it has ended. */
export async function execute(
  path: string,
  command: readonly string[],
  options: ExecOptions,
  send: (request: RawRequest) => Promise<RawResponse>,
): Promise<ExecResult> {
  const { container, tty, stdin, signal } = options;
  const wanted = { stdin: stdin !== undefined, stdout: true, stderr: !tty, tty: tty ?? false };
  const outputs = { stdout: outputTo(options.stdout), stderr: outputTo(options.stderr) };
  let socket: WebSocketConnection | undefined;
  try {
    const query = { command, container, ...wanted };
    socket = (await send({ path, query, webSocket: [protocol], signal })).webSocket!;
    const exitCode = await converse(socket, options, outputs, `GET ${path}`);
    socket.close();
    const [stdout, stderr] = await Promise.all([outputs.stdout.end(), outputs.stderr.end()]);
    return { exitCode, stdout, stderr };
  } catch (error) {
    socket?.destroy();
    for (const output of [outputs.stdout, outputs.stderr]) output.fail(error as Error);
    throw error;
  }
}

interface Outputs {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
}

/** Sends and receives until the exit code is known. */
async function converse(
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
