import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import type { Writable } from "node:stream";
import type { CallOptions } from "../http/transport.ts";

/** Chooses a container of a pod. */
interface ContainerOptions extends CallOptions {
  /**
   * Default: the pod's only container, or the one that its annotation `kubectl.kubernetes.io/default-container` names.
   */
  readonly container?: string | undefined;
}

/** Options for reading logs. */
export interface LogOptions extends ContainerOptions {
  /** Go on with new lines until the container ends. */
  readonly follow?: boolean | undefined;
  /** The number of lines to return, counted from the end. */
  readonly tail?: number | undefined;
  /** Only lines that are younger than this, or written after this time. */
  readonly since?: DurationLike | Date | undefined;
  /** The logs of the container before its last restart. */
  readonly previous?: boolean | undefined;
  /** Begin each line with the time at which it was written. */
  readonly timestamps?: boolean | undefined;
}

/** The lines of a log, read while a loop runs over them. Leaving the loop ends the request. */
export interface LogLines extends AsyncIterable<string> {
  /** Returns the whole log; each line ends with a newline. */
  text(): Promise<string>;
}

type Chunk = string | Uint8Array;

/** The standard input of a command: all at once, or in pieces while the command runs. */
export type CommandInput = string | Uint8Array | Iterable<Chunk> | AsyncIterable<Chunk>;

/** The size of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Options for running a command. */
export interface ExecOptions extends ContainerOptions {
  /** Default: empty. A stream is destroyed when the command has ended; the input of this process is only paused. */
  readonly stdin?: CommandInput | undefined;
  /**
   * Where the output goes instead of into the result. The stream is ended with the command, and destroyed if it fails.
   */
  readonly stdout?: Writable | undefined;
  /** The same for the standard error. */
  readonly stderr?: Writable | undefined;
  /** Run it in a terminal, whose output is all in `stdout`. */
  readonly tty?: boolean | undefined;
  /** The sizes of the terminal: the first one, and each that it gets while the command runs. */
  readonly resize?: Iterable<TerminalSize> | AsyncIterable<TerminalSize> | undefined;
}

/** How a command ended, and its output that went to no stream. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for forwarding a port. */
export interface PortForwardOptions extends CallOptions {
  /** The port on this machine. Default: a free one. */
  readonly localPort?: number | undefined;
  /** Called when a connection could not be forwarded, or broke off. Its local end is closed in any case. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A port of a pod that can be reached on this machine. */
export interface PortForward {
  readonly host: "127.0.0.1";
  readonly port: number;
  /** Closes the port and all connections through it. */
  close(): Promise<void>;
}
