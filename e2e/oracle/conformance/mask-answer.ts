import { compareText } from "@tsbuilder/apimachinery/text";
import type { ReceivedResponse } from "../../../src/cluster/testing/send.ts";

/** An answer without the parts that differ between runs. */
export interface MaskedAnswer {
  readonly code: number;
  readonly type: string;
  readonly warnings?: readonly string[];
  /** A JSON value, the lines of a watch, or text. */
  readonly body: unknown;
}

/** Replaces names, IDs, times and resource versions by fixed words. */
export function maskAnswer(answer: ReceivedResponse, names: { ns: string; group: string }): MaskedAnswer {
  const warning = answer.headers["warning"];
  const replaceNames = (text: string) => text.replaceAll(names.ns, "{ns}").replaceAll(names.group, "{group}");
  const masked = {
    code: answer.code,
    type: answer.headers["content-type"] ?? "",
    ...(warning !== undefined && {
      warnings: (Array.isArray(warning) ? warning : [warning]).flatMap((each) => each.split(/, (?=299)/)),
    }),
    body: maskBody(answer),
  };
  return JSON.parse(replaceNames(JSON.stringify(masked))) as MaskedAnswer;
}

function maskBody({ text, body }: ReceivedResponse): unknown {
  if (body !== undefined) return mask(body);
  const lines = text.trim().split("\n");
  try {
    const events = lines
      .map((line) => JSON.parse(line) as unknown)
      .filter((event) => !isTimedBookmark(event));
    return events.length === 1 ? mask(events[0]) : events.map((event) => mask(event));
  } catch {
    return maskText(text).replace(/resourceVersion: "\d+"/g, 'resourceVersion: "{rv}"');
  }
}

/** True for a bookmark that a server sends once in a while, rather than after the initial events. */
function isTimedBookmark(event: unknown): boolean {
  const { type, object } = event as { type?: unknown; object?: { metadata?: { annotations?: object } } };
  const annotations = object?.metadata?.annotations ?? {};
  return type === "BOOKMARK" && !("k8s.io/initial-events-end" in annotations);
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

function mask(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const masked = value.map((each) => mask(each, key === "cells" ? key : ""));
    return key === "managedFields" ? masked.sort(byManager) : masked;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([field]) => field !== "extra" || !isCredential(value))
      .sort(([a], [b]) => compareText(a, b));
    return Object.fromEntries(entries.map(([field, child]) => [field, mask(child, field)]));
  }
  if (key === "cells" && typeof value === "string" && /^(\d+[smhd])+$/.test(value)) return "{age}";
  if (key === "nodePort" && typeof value === "number" && value !== 0) return "{port}";
  if (typeof value !== "string") return value;
  if (key === "resourceVersion" && value !== "") return "{rv}";
  if (key === "continue") return "{continue}";
  if (key === "storageVersionHash") return "{hash}";
  if (key === "description") return "{description}";
  if (key === "serverAddress") return "{address}";
  if (key === "clusterIP" && value !== "None" && value !== "") return "{ip}";
  return maskText(value);
}

/** True if a user's only attribute beyond name and groups is the ID of its certificate or token. */
function isCredential({ extra }: { extra?: unknown }): boolean {
  const names = typeof extra === "object" && extra !== null ? Object.keys(extra) : [];
  return names.length === 1 && names[0] === "authentication.kubernetes.io/credential-id";
}

/** Two writes may happen in the same second or not, so the order of their managers is random. */
function byManager(a: unknown, b: unknown): number {
  const [x, y] = [a, b].map((entry) => {
    const { operation, manager, subresource = "" } = entry as Record<string, string>;
    return `${operation} ${manager} ${subresource}`;
  });
  return x! < y! ? -1 : 1;
}

function maskText(text: string): string {
  return (
    text
      .replace(uuid, "{uid}")
      .replace(time, "{time}")
      .replace(/(X509SHA256=)[0-9a-f]{64}/g, "$1{hash}")
      .replace(/\b10\.\d+\.\d+\.\d+\b/g, "{ip}")
      .replace(/(too old resource version: )\d+ \(\d+\)/, "$1{rv} ({rv})")
      .replace(/(Too large resource version: )\d+, current: \d+/, "$1{rv}, current: {rv}")
      .replace(/\b(gen-|BAD-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1{name}")
      .replace(/(does not match the ResourceVersion in record \()\d+/g, "$1{rv}")
      .replace(/(patch: Invalid value: |^Invalid value: )"\{\\?".*\}"/s, '$1"{object}"')
      .replace(/(yaml: line \d+: )(?!key ).*?( \([0-9a-f]+\))?$/s, "$1{problem}$2")
      .replace(
        /(spec\.template: Invalid value: |^Invalid value: )\{"(?:labels":|Spec":\{"Volumes").*\}(?=: field is immutable)/s,
        "$1{template}",
      )
      .replace(
        /(spec\.template: Invalid value: |^Invalid value: )\{"metadata".*\}(?=: field is immutable)/s,
        "$1{template}",
      )
      // The real server prints the paths in the order of a Go map.
      .replace(/(atomic arrays, maps or structs: )(.+)$/, (_, before: string, paths: string) => {
        return before + paths.split(", ").toSorted().join(", ");
      })
      // The lines of an apply's errors come in such an order, too.
      .replace(/(: errors:\n)(.+)$/s, (_, before: string, lines: string) => {
        return before + lines.split("\n").toSorted().join("\n");
      })
      .replace(/\n@@ .*$/s, "")
  );
}
