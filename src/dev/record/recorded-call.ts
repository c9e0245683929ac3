import type { AdmissionCall, ConversionCall } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { placeName } from "./places.ts";

/** What the lines of all webhook calls have. */
interface Call {
  readonly type: "webhook";
  /** When it began. */
  readonly at: string;
  readonly seconds: number;
}

type Bodies = "object" | "oldObject" | "answer";

/** A call of an admission webhook, with objects, patch and texts without what Secrets hold. */
export interface RecordedAdmission
  extends Call, Omit<AdmissionCall, "type" | "at" | "milliseconds" | Bodies> {
  readonly call: AdmissionCall["type"];
  readonly object?: KubernetesObject | undefined;
  readonly oldObject?: KubernetesObject | undefined;
  readonly answer?: AdmissionCall["answer"];
  /** What was too large to be recorded. */
  readonly omitted?: readonly ("object" | "oldObject" | "patch")[] | undefined;
}

/** A call of a conversion webhook. */
export interface RecordedConversion
  extends Call, Omit<ConversionCall, "type" | "at" | "milliseconds" | "objects" | "converted"> {
  readonly call: "conversion";
  /** How many objects were to be converted. */
  readonly count: number;
  /** The first ones, but for what was too large. */
  readonly objects: readonly KubernetesObject[];
  readonly converted?: readonly KubernetesObject[] | undefined;
}

/** A call of a webhook. */
export type RecordedCall = RecordedAdmission | RecordedConversion;

/** The places of the objects that a call is about. */
export function placesOfCall(call: RecordedCall): readonly string[] {
  return keysOfCall(call).map((key) => placeName({ resource: call.resource, key }));
}

/** The objects that a call is about, such as `default/db`. */
export function keysOfCall(call: RecordedCall): readonly string[] {
  if (call.call !== "conversion") return [call.key];
  return call.objects.map(({ metadata: { namespace, name = "" } }) =>
    namespace === undefined ? name : `${namespace}/${name}`,
  );
}
