import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../log/logger.ts";
import type { HealthChecks } from "./health-checks.ts";

/** Serves `/healthz` and `/readyz`: all checks, one by its sub-path, `?verbose`, and `?exclude=` for some. */
export function healthHandler(
  endpoints: { readonly [path: string]: HealthChecks },
  log: Logger,
  onFailure: (endpoint: string, check: string) => void = () => {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://probe");
    const [, endpoint = "", ...rest] = url.pathname.split("/");
    const only = rest.join("/");
    const checks = endpoints[`/${endpoint}`];
    if (!checks || (only !== "" && !checks.has(only))) return answer(response, 404, "404 page not found\n");
    const report = await checks.run({
      verbose: url.searchParams.has("verbose"),
      exclude: url.searchParams.getAll("exclude"),
      ...(only === "" ? {} : { only }),
    });
    for (const { name, error } of report.failures) {
      log.info("Health check failed", { endpoint: `/${endpoint}`, check: name, error });
      onFailure(`/${endpoint}`, name);
    }
    answer(response, report.isHealthy ? 200 : 500, report.text);
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
