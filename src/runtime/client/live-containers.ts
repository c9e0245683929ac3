import type { Duplex } from "node:stream";
import { execute } from "../containers/exec.ts";
import { logLines, logRequest, readLines } from "../containers/log-lines.ts";
import type {
  ExecOptions,
  ExecResult,
  LogLines,
  LogOptions,
  PortForward,
  PortForwardOptions,
} from "../containers/options.ts";
import { listenFor } from "../containers/port-forward.ts";
import { openPort } from "../containers/port-stream.ts";
import { ApiError } from "../errors/api-error.ts";
import type { CallOptions } from "../http/call-options.ts";
import { Pod } from "../k8s/core/v1.ts";
import type { Containers } from "./containers.ts";
import { LiveReader } from "./live-reader.ts";
import { formatKey, type ObjectRef } from "./object-key.ts";

/** What a live client does in containers; see `Containers` for the contract of each call. */
export class LiveContainers extends LiveReader implements Containers {
  logs(pod: ObjectRef, options: LogOptions = {}): LogLines {
    const path = this.path(Pod, pod, "log");
    return logLines(async () => readLines(await this.request(logRequest(path, options))));
  }

  async exec(pod: ObjectRef, command: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const path = this.path(Pod, pod, "exec");
    return execute(path, command, this.withSignal(options), (request) => this.request(request));
  }

  async openPort(pod: ObjectRef, port: number, options: CallOptions = {}): Promise<Duplex> {
    const path = this.path(Pod, pod, "portforward");
    return openPort(path, port, options.signal, (request) => this.request(request));
  }

  async portForward(pod: ObjectRef, port: number, options: PortForwardOptions = {}): Promise<PortForward> {
    const { signal, ...more } = this.withSignal(options);
    const { status = {} } = await this.get(Pod, this.key(Pod, pod), { signal });
    if (status.phase !== "Running") throw notRunning(formatKey(this.key(Pod, pod)), status.phase);
    return listenFor(() => this.openPort(pod, port, { signal }), { signal, ...more });
  }
}

function notRunning(pod: string, phase = "Pending"): ApiError {
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `the pod ${pod} is ${phase}: its ports can be forwarded while it runs`,
  });
}
