/** The part of an element that shows whether something was typed into it. */
const isFilled = (field: Element): boolean =>
  (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.value !== "";

/** Follows the forms that the viewer typed in. Returns whether one of them is still on the page with its text. */
export function watchTypedForms(document: Document): () => boolean {
  const forms = new Set<HTMLFormElement>();
  document.addEventListener(
    "input",
    ({ target }) => {
      const form = target instanceof Element ? target.closest("form") : null;
      if (form) forms.add(form);
    },
    { capture: true },
  );
  return () => {
    for (const form of forms) if (!form.isConnected) forms.delete(form);
    return [...forms].some((form) => [...form.elements].some(isFilled));
  };
}
