import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { PolicyRule } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import type { ManifestObject } from "../../ship/manifest.ts";
import type { InstallMode } from "../bundle-format.ts";

/** A ClusterServiceVersion: OLM installs it, and catalogs show it. Fields that only people write have no type here. */
export interface ClusterServiceVersion extends ManifestObject {
  readonly spec: CsvSpec;
}

export interface CsvSpec {
  readonly displayName?: string;
  readonly version?: string;
  readonly minKubeVersion?: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly installModes?: readonly { readonly type: InstallMode; readonly supported: boolean }[];
  readonly install?: Install;
  readonly customresourcedefinitions?: {
    readonly owned?: readonly CrdDescription[];
    readonly required?: readonly CrdDescription[];
  };
  readonly webhookdefinitions?: readonly WebhookDefinition[];
  readonly relatedImages?: readonly RelatedImage[];
  readonly [field: string]: unknown;
}

/** The install strategy: the Deployments, and their permissions. */
export interface Install {
  readonly strategy: "deployment";
  readonly spec: {
    readonly permissions?: readonly Permission[];
    readonly clusterPermissions?: readonly Permission[];
    readonly deployments: readonly InstalledDeployment[];
  };
}

/** The permissions of a service account. OLM creates a role and a binding for them. */
export interface Permission {
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[];
}

export interface InstalledDeployment {
  readonly name: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly spec: DeploymentSpec;
}

/** A CRD that the operator owns or requires, in one version. */
export interface CrdDescription {
  readonly name: string;
  readonly version: string;
  readonly kind: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly resources?: readonly { readonly kind: string; readonly version: string; readonly name: string }[];
  readonly specDescriptors?: readonly FieldDescriptor[];
  readonly statusDescriptors?: readonly FieldDescriptor[];
  readonly [field: string]: unknown;
}

/** The presentation of a field in a console. */
export interface FieldDescriptor {
  readonly path: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly "x-descriptors"?: readonly string[];
}

/** A webhook, for which OLM creates the configuration, the Service and the certificate. */
export interface WebhookDefinition {
  readonly type: string;
  readonly generateName: string;
  readonly deploymentName: string;
  readonly containerPort: number;
  readonly targetPort: number | string;
  readonly webhookPath: string;
  readonly admissionReviewVersions: readonly string[];
  readonly sideEffects: string;
  readonly conversionCRDs?: readonly string[];
  readonly [field: string]: unknown;
}

/** An image that a mirror of the bundle must copy. */
export interface RelatedImage {
  readonly name: string;
  readonly image: string;
}
