/** Texts of the library and the information pages. */
export const pages = {
  library: {
    title: "Library",
    search: "Search by title",
    results_one: "{{count}} video",
    results_other: "{{count}} videos",
    emptyTitle: "No video fits “{{title}}”",
    emptyText: "Try another word.",
    none: "The library is empty",
    noneText: "Videos appear here when the channel publishes them.",
    watch: "Watch",
    back: "Back to the library",
    missing: "This video could not be found.",
    noAccess: "Watching the library needs a pass.",
  },
  info: {
    about: "About",
    contacts: "Contacts",
    faq: "Questions and answers",
    privacy: "Privacy policy",
    terms: "Terms & conditions",
    reviewed: "Content submissions are reviewed within 5 business days.",
    missing: "This page has nothing to show yet.",
    faqEmpty: "No questions yet",
    faqEmptyText: "When the channel writes answers, they stand here.",
  },
};
