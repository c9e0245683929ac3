import type { IncomingMessage, ServerResponse } from "node:http";
import { Session } from "node:inspector/promises";
import { pipeline } from "node:stream/promises";
import { getHeapSnapshot } from "node:v8";
import { type LeveledLogger, logLevels } from "../log/create-logger.ts";
import type { Logger, LogLevel } from "../log/logger.ts";
import type { HttpHandler } from "../serve/http-listener.ts";

/** Debugging handlers for a running operator, like pprof for Go; both files open in the browser's developer tools. */
export function debugHandlers(log: Logger | LeveledLogger): { readonly [path: string]: HttpHandler } {
  return {
    "/debug/heap": sendHeap,
    "/debug/profile": sendProfile,
    "/debug/log-level": (request, response) => changeLevel(log, request, response),
  };
}

async function sendHeap(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, attachment("heap.heapsnapshot"));
  await pipeline(getHeapSnapshot(), response);
}

/** `?seconds=` sets the duration. Default: 30. */
async function sendProfile(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = Number(new URL(request.url ?? "/", "http://debug").searchParams.get("seconds") ?? 30);
  const seconds = Math.min(Math.max(asked || 30, 0.1), 300);
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    // The profiler samples in system time.
    await new Promise((resolve) => {
      setTimeout(resolve, seconds * 1000);
    });
    const { profile } = await session.post("Profiler.stop");
    response.writeHead(200, attachment("profile.cpuprofile"));
    response.end(JSON.stringify(profile));
  } finally {
    session.disconnect();
  }
}

/** GET returns the level, PUT `?level=` sets it. */
function changeLevel(log: Logger | LeveledLogger, request: IncomingMessage, response: ServerResponse): void {
  const level = new URL(request.url ?? "/", "http://debug").searchParams.get("level");
  const answer = (status: number, text: string) =>
    void response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
  if (!("level" in log)) return answer(501, "the level of this logger is not ours to set");
  if (request.method !== "PUT") return answer(200, log.level);
  if (!logLevels.includes(level as LogLevel)) return answer(400, `level is one of ${logLevels.join(", ")}`);
  log.level = level as LogLevel;
  answer(200, log.level);
}

function attachment(name: string): { readonly [header: string]: string } {
  return {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${name}"`,
  };
}
