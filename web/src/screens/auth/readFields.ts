import type { FieldValues, Path, PathValue, UseFormReturn } from "react-hook-form";

type NamedField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Copies the values of the fields into the form (FORM-4). A password manager may set them without an event, or with
 * React's own setter, which React ignores.
 */
export function readFields<V extends FieldValues>(
  form: UseFormReturn<V, unknown, V>,
  container: ParentNode | null,
): void {
  const values = form.getValues();
  for (const field of container?.querySelectorAll<NamedField>("input[name], select[name], textarea[name]") ?? []) {
    const value = field.type === "checkbox" ? (field as HTMLInputElement).checked : field.value;
    if (field.name in values && values[field.name] !== value)
      form.setValue(field.name as Path<V>, value as PathValue<V, Path<V>>, { shouldDirty: true });
  }
}
