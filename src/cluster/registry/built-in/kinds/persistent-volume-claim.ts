import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { type FieldError, forbidden, required } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../../../storage/api-object.ts";
import type { Strategy } from "../../resource.ts";

/** What a new volume is filled with. */
export interface DataSource {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  [field: string]: string | undefined;
}

export interface Claim {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string };
  spec?: {
    accessModes?: string[];
    selector?: LabelSelector;
    storageClassName?: string;
    volumeMode?: string;
    volumeName?: string;
    volumeAttributesClassName?: string;
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
    dataSource?: DataSource;
    dataSourceRef?: DataSource;
  };
  status?: { phase?: string };
}

const protection = "kubernetes.io/pvc-protection";

/** A claim is bound once; from then on only its size may grow. */
export const claimStrategy: Partial<Strategy> = {
  default: (object) => defaultClaim(object),
  prepareForCreate(object) {
    object["status"] = { phase: "Pending" };
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(protection)) object.metadata.finalizers = [...finalizers, protection];
  },
  validate(object) {
    const { spec = {} } = object as unknown as Claim;
    const errors: FieldError[] = [];
    if (!spec.accessModes?.length) {
      errors.push(required("spec.accessModes", "at least 1 access mode is required"));
    }
    if (!spec.resources?.requests?.["storage"]) errors.push(required("spec.resources[storage]"));
    return errors;
  },
  validateUpdate(object, old, { subresource }) {
    if (subresource !== "" || isEqual(fixed(object, old), fixed(old, old))) return [];
    return [
      forbidden(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
      ),
    ];
  },
};

export function defaultClaim(claim: Claim): void {
  claim.metadata ??= {};
  claim.spec ??= {};
  claim.spec.volumeMode ??= "Filesystem";
  claim.spec.resources ??= {};
  claim.status ??= {};
  claim.status.phase ||= "Pending";
}

/** The part of a claim's spec that stays; the binder may fill in the volume, and the default class where none was asked for. */
function fixed(object: ApiObject, old: ApiObject): ApiObject {
  const {
    resources: _resources,
    volumeName: _volume,
    volumeAttributesClassName: _class,
    ...rest
  } = (object as unknown as Claim).spec ?? {};
  const fixedFields: Record<string, unknown> = { ...rest };
  if ((old as unknown as ClaimWithClass).spec?.storageClassName === undefined)
    delete fixedFields["storageClassName"];
  return fixedFields as ApiObject;
}

interface ClaimWithClass {
  readonly spec?: { readonly storageClassName?: string };
}
