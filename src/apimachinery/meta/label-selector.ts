/** One condition on a label; `values` is empty for `Exists` and `DoesNotExist`. */
export interface LabelSelectorRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values?: string[];
}

/** Chooses objects by their labels: all parts must hold; an empty selector chooses everything. */
export interface LabelSelector {
  matchLabels?: { [key: string]: string };
  matchExpressions?: LabelSelectorRequirement[];
}
