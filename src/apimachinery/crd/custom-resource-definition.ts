import type { Condition } from "../meta/index.ts";
import type { JSONSchema } from "../schema/index.ts";

/** The spec of a CRD. */
export interface CRDSpec {
  group: string;
  scope: "Namespaced" | "Cluster";
  names: CRDNames;
  versions: CRDVersion[];
  conversion?: CRDConversion;
  preserveUnknownFields?: boolean;
}

/** The status of a CRD, which the API server writes. */
export interface CRDStatus {
  acceptedNames?: Partial<CRDNames>;
  conditions?: Condition[] | null;
  storedVersions?: string[];
}

/** The names of a custom resource. */
export interface CRDNames {
  plural: string;
  kind: string;
  singular?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A version of a custom resource. */
export interface CRDVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JSONSchema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: Array<{ jsonPath: string }>;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  format?: string;
  description?: string;
  priority?: number;
}

/** How objects are converted between the versions of a CRD. */
export interface CRDConversion {
  strategy: "None" | "Webhook";
  webhook?: {
    conversionReviewVersions: string[];
    clientConfig?: {
      url?: string;
      caBundle?: string;
      service?: { namespace: string; name: string; path?: string; port?: number };
    };
  };
}

/** Sets the defaults of a CRD's names and conversion, as the API server does before validation. */
export function defaultNames(spec: CRDSpec | undefined): void {
  const names = spec?.names;
  if (!names?.kind) return;
  names.singular ??= names.kind.toLowerCase();
  names.listKind ??= `${names.kind}List`;
  spec!.conversion ??= { strategy: "None" };
}
