/**
 * One step in the simulated lifecycle of objects: which objects it matches, its delay, and how it changes
 * them. The format is that of KWOK's Stage files.
 */
export interface Stage {
  readonly apiVersion: "kwok.x-k8s.io/v1alpha1";
  readonly kind: "Stage";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
    readonly selector: StageSelector;
    /** Of several stages that match an object, the one with the highest weight applies. */
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
  /** Counted from when the object first matched. */
  readonly durationMilliseconds?: number;
  /** The path of a time or a duration in the object, which takes precedence if present. */
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
  /**
   * YAML that is merged into the status; `{{ Now }}` and fields such as `{{ .metadata.name }}` are
   * substituted.
   */
  readonly statusTemplate?: string;
}
