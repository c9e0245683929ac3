/**
 * One step in the pretended life of objects: which objects it takes, after how long, and what becomes of them.
 * The shape is that of KWOK's Stage files.
 */
export interface Stage {
  readonly apiVersion: "kwok.x-k8s.io/v1alpha1";
  readonly kind: "Stage";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
    readonly selector: StageSelector;
    /** Of several stages that take an object, the one with the highest weight comes. */
    readonly weight?: number;
    readonly delay?: StageDelay;
    readonly next: NextState;
  };
}

export interface StageSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchAnnotations?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    /** A path such as `.status.phase`. */
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

export interface StageDelay {
  /** Counted from when the object came to match. */
  readonly durationMilliseconds?: number;
  /** The path of a time or a duration in the object, which counts instead if there is one. */
  readonly durationFrom?: { readonly expressionFrom: string };
}

export interface NextState {
  readonly event?: { readonly type?: string; readonly reason?: string; readonly message?: string };
  readonly finalizers?: {
    readonly add?: readonly { readonly value: string }[];
    readonly remove?: readonly { readonly value: string }[];
    readonly empty?: boolean;
  };
  readonly delete?: boolean;
  /** YAML that is merged into the status; `{{ Now }}` and `{{ .metadata.name }}` are filled in. */
  readonly statusTemplate?: string;
}
