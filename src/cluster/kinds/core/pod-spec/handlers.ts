import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkHeaderName, checkPort } from "../../checks/names.ts";
import { nonNegative, type Problems, refused } from "../../checks/problems.ts";
import type { Container, Handler, HTTPGetAction, Probe } from "./types.ts";

/** The three probes of a container. */
export function* probes(field: string, container: Container): Problems {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe) {
    yield* probe(`${field}.livenessProbe`, livenessProbe);
    yield* oneSuccess(`${field}.livenessProbe`, livenessProbe);
  }
  if (readinessProbe) {
    yield* probe(`${field}.readinessProbe`, readinessProbe);
    const { terminationGracePeriodSeconds: period } = readinessProbe;
    if (period !== undefined) {
      const at = `${field}.readinessProbe.terminationGracePeriodSeconds`;
      yield invalid(at, period, "must not be set for readinessProbes");
    }
  }
  if (startupProbe) {
    yield* probe(`${field}.startupProbe`, startupProbe);
    yield* oneSuccess(`${field}.startupProbe`, startupProbe);
  }
}

function* oneSuccess(field: string, { successThreshold }: Probe): Problems {
  if (successThreshold !== 1) yield invalid(`${field}.successThreshold`, successThreshold, "must be 1");
}

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function* probe(field: string, values: Probe): Problems {
  yield* handler(field, values, undefined);
  for (const name of counts) yield* nonNegative(`${field}.${name}`, values[name]);
  const { terminationGracePeriodSeconds: period } = values;
  if (period !== undefined && period <= 0) {
    yield invalid(`${field}.terminationGracePeriodSeconds`, period, "must be greater than 0");
  }
}

/** The lifecycle hooks of a container. */
export function* lifecycle(
  field: string,
  { postStart, preStop, stopSignal }: NonNullable<Container["lifecycle"]>,
  gracePeriod: number | undefined,
  os: string | undefined,
): Problems {
  if (postStart) yield* handler(`${field}.postStart`, postStart, gracePeriod);
  if (preStop) yield* handler(`${field}.preStop`, preStop, gracePeriod);
  if (stopSignal !== undefined && os === undefined) {
    yield forbidden(`${field}.stopSignal`, "may not be set for containers with empty `spec.os.name`");
  }
}

function* handler(field: string, values: Handler, gracePeriod: number | undefined): Problems {
  let named = false;
  for (const [name, check] of Object.entries(kinds) as Array<[keyof Handler, HandlerCheck]>) {
    const value = values[name];
    if (value === undefined) continue;
    const at = `${field}.${name}`;
    if (named) yield forbidden(at, "may not specify more than 1 handler type");
    else yield* check(at, value, gracePeriod);
    named = true;
  }
  if (!named) yield required(field, "must specify a handler type");
}

type HandlerCheck = (field: string, value: object, gracePeriod: number | undefined) => Problems;

const kinds: { readonly [Name in keyof Required<Handler>]: HandlerCheck } = {
  *exec(field, { command }: Handler["exec"] & object) {
    if (!command?.length) yield required(`${field}.command`);
  },
  *httpGet(field, { path, scheme = "", port = 0, httpHeaders = [] }: HTTPGetAction) {
    if (!path) yield required(`${field}.path`);
    yield* refused(`${field}.port`, port, checkPort(port));
    if (scheme !== "HTTP" && scheme !== "HTTPS") {
      yield notSupported(`${field}.scheme`, scheme, ["HTTP", "HTTPS"]);
    }
    for (const { name = "" } of httpHeaders) {
      yield* refused(`${field}.httpHeaders`, name, checkHeaderName(name));
    }
  },
  *tcpSocket(field, { port = 0 }: Handler["tcpSocket"] & object) {
    yield* refused(`${field}.port`, port, checkPort(port));
  },
  *grpc(field, { port = 0 }: Handler["grpc"] & object) {
    yield* refused(`${field}.port`, port, checkPort(port));
  },
  *sleep(field, { seconds = 0 }: Handler["sleep"] & object, gracePeriod) {
    if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
    yield invalid(
      field,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
    );
  },
};
