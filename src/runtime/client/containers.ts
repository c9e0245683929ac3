import type { Duplex } from "node:stream";
import type {
  ExecOptions,
  ExecResult,
  LogLines,
  LogOptions,
  PortForward,
  PortForwardOptions,
} from "../containers/options.ts";
import type { CallOptions } from "../http/call-options.ts";
import type { ObjectRef } from "./object-key.ts";

/** Ways into the containers of a pod, through the API server. The embedded cluster has no containers. */
export interface Containers {
  /** Reads the log of a container, line by line: `for await (const line of client.logs(pod, { follow: true }))`. */
  logs(pod: ObjectRef, options?: LogOptions): LogLines;

  /**
   * Runs a command in a container, and resolves with its exit code and output, whatever the code is. Rejects if the
   * command can't run, if the connection breaks, or with the signal's reason; then the command may go on running.
   */
  exec(pod: ObjectRef, command: readonly string[], options?: ExecOptions): Promise<ExecResult>;

  /**
   * Opens a connection to a port of a pod, for programs that accept a stream. If nothing listens there, the stream is
   * destroyed with an error. Its end closes both directions.
   */
  openPort(pod: ObjectRef, port: number, options?: CallOptions): Promise<Duplex>;

  /**
   * Makes a port of a running pod reachable on this machine, on the loopback interface only, until it is closed or the
   * signal is aborted. Each connection is one to the pod.
   */
  portForward(pod: ObjectRef, port: number, options?: PortForwardOptions): Promise<PortForward>;
}
