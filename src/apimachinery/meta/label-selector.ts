/** One condition on a label; `values` is empty for `Exists` and `DoesNotExist`. */
export interface LabelSelectorRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values?: string[];
}

/** Selects objects by their labels: all requirements must match; an empty selector matches everything. */
export interface LabelSelector {
  matchLabels?: { [key: string]: string };
  matchExpressions?: LabelSelectorRequirement[];
}
