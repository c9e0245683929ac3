import { request } from "node:https";
import { agentFor } from "../send.ts";
import type { Kubeconfig } from "../../auth/credentials.ts";

/** The parts of a watch event that tests check. */
export interface SeenEvent {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
  };
}

/** A watch that collects its events. */
export interface OpenWatch {
  readonly events: SeenEvent[];
  /** Resolves when the server or `close()` has ended the watch. */
  readonly ended: Promise<void>;
  /** Stops reading, like a busy client. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
}

/** Opens a watch; resolves when the server has accepted it. */
export function openWatch(kubeconfig: Kubeconfig, path: string, accept?: string): Promise<OpenWatch> {
  const { hostname, port } = new URL(kubeconfig.clusters[0].cluster.server);
  const { token } = kubeconfig.users[0].user;
  return new Promise((resolve, reject) => {
    const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...(accept && { Accept: accept }) };
    const call = request({ host: hostname, port, path, headers, agent: agentFor(kubeconfig) }, (response) => {
      const events: SeenEvent[] = [];
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop()!;
        events.push(...lines.map((line) => JSON.parse(line) as SeenEvent));
      });
      const ended = new Promise<void>((done) => response.on("close", () => done()));
      response.on("error", () => undefined);
      resolve({
        events,
        ended,
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void call.destroy(),
      });
    });
    call.on("error", reject);
    call.end();
  });
}
