/** The element of the package knows no site by itself; a host names one by the attribute `site`. */
export const siteUrl: URL | null = null;
