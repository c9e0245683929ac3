import type { Moment } from "../world/witness.ts";

/** Describes a moment of a run in a line, with its time, and with the line of the user's code if there is one. */
export function momentText({ event, site }: Moment): string {
  const isShown = event.type === "change" || event.type === "call" || event.type === "log";
  return timed(event.at, `${eventText(event)}${isShown && site !== undefined ? `  ← ${site[0]}` : ""}`);
}

/** Puts a time before a text. */
export function timed(at: number, text: string): string {
  return `${(at / 1000).toFixed(3).padStart(9)} s  ${text}`;
}

function eventText(event: Moment["event"]): string {
  switch (event.type) {
    case "start":
      return `${event.process} starts`;
    case "died":
      return `${event.process} dies`;
    case "leads":
      return `${event.process} leads`;
    case "claims":
      return `${event.process} claims ${event.claims || "no shard"}`;
    case "fault":
      return `FAULT: ${event.text}`;
    case "step":
      return `the user: ${event.text}${event.status >= 400 ? `: rejected with ${event.status}` : ""}`;
    case "refused-install":
      return `the API server refuses ${event.object} of the ${event.release} release of ${event.operator}: ${event.message}`;
    case "reconcile":
      return event.outcome === undefined
        ? `${event.process} reconciles ${event.request} (${event.controller})`
        : `${event.process} has reconciled ${event.request}: ${event.outcome}`;
    case "request":
      return `${event.process}: ${event.method} ${event.path.split("?")[0]}: ${event.status || "no answer"}`;
    case "call":
      return `${event.process} calls ${event.to}: ${event.text}: ${event.status ?? "no answer"}`;
    case "webhook":
      return `the API server calls ${event.process ?? "nobody"} at ${event.path}: ${event.status || "no answer"}`;
    case "watch":
      return `${event.process} learns: ${event.event} ${event.path.split("/").at(-1)} ${event.key}`;
    case "change": {
      const what = {
        ADDED: "is created",
        MODIFIED: `changes in ${event.fields.join(", ")}`,
        DELETED: "is gone",
      }[event.change];
      return `  ${event.resource} ${event.key} ${what} (by ${event.by})`;
    }
    case "log":
      return `${event.process} logs: ${event.message}${event.error === undefined ? "" : `: ${event.error}`}`;
    case "phase":
      return event.rests ? `all rest after the ${event.phase}` : `no rest after the ${event.phase}`;
    case "promise":
      return `broken promise: ${event.promise} ${event.name}${event.about === undefined ? "" : ` (${event.about})`}`;
  }
}
