import type { Reconcile } from "../history.ts";
import { placeOf, requestTarget } from "../request-target.ts";
import { Episodes } from "./episodes.ts";
import type { AskedRequests, Detector, Finding, FoundRequest } from "./finding.ts";
import { times } from "./words.ts";

interface Conflict extends FoundRequest {
  readonly method: string;
  readonly path: string;
}

/** Requests that are answered with 409 again and again. */
export class ConflictDetector implements Detector {
  readonly #conflicts = new Episodes<Conflict>({ least: 3, pause: 60_000 });

  seeReconcile({ controller, request, requests, from }: Reconcile, asked: AskedRequests): void {
    for (const one of requests) {
      const { method, code, path: whole } = one;
      if (code !== "409" || asked.has(one)) continue;
      const [path = ""] = whole.split("?");
      const key = [controller, request, method, path].join("\n");
      this.#conflicts.hit(key, from, () => ({ controller, request, method, path }));
    }
  }

  found(): Finding[] {
    return this.#conflicts.told.map(({ count, from, at, detail: { controller, request, method, path } }) => {
      const target = requestTarget(path);
      const place = target && placeOf(target);
      const what = place ?? target?.resource ?? path;
      return {
        kind: "conflicts",
        title: `${controller} meets conflicts on ${what}`,
        text: `${method} ${path} was answered with 409 ${times(count)} in reconciles of ${request}: ${adviceFor(method)}`,
        from,
        at,
        places: place === undefined ? [] : [place],
        requests: [{ controller, request }],
      };
    });
  }
}

function adviceFor(method: string): string {
  switch (method) {
    case "POST":
      return "an object of this name is there already, so apply it instead of creating it";
    case "PUT":
      return "somebody else changes the object meanwhile, so patch or apply only the fields that you own";
    default:
      return "another field manager owns a field of it, or the object has changed since it was read";
  }
}
