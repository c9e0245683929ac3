export const counts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
