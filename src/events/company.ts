/**
 * The company behind the visitor (`buyer_reveal`), as far as address or e-mail reveal it. Bodies always carry the
 * object with all its keys; an unknown value is `""`. Source: specification §2.3; decisions §2.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { LABEL_CHARS_MAX, optionalText } from "./fields.ts";

export const SAMPLE_COMPANY = {
  company_name: "Example Analytics",
  company_domain: "example.com",
  company_annual_revenue_range: "$10M - $50M",
  company_employee_range: "51 - 200",
  confidence_score: "high",
};

const NAMES = {
  company_name: "Name of the company.",
  company_domain: "Domain of the company's web site.",
  company_annual_revenue_range: "Annual revenue, as the label of a range.",
  company_employee_range: "Number of employees, as the label of a range.",
  confidence_score: "How sure the product is about the company, as a label.",
};

const DESCRIPTION = "The company, resolved from the visitor's IP address or e-mail.";

/** The company as intake accepts it: every value may be missing or null. */
export const companyRecordSchema = Type.Object(
  {
    company_name: optionalText(LABEL_CHARS_MAX, { description: NAMES.company_name }),
    company_domain: optionalText(LABEL_CHARS_MAX, { description: NAMES.company_domain }),
    company_annual_revenue_range: optionalText(LABEL_CHARS_MAX, { description: NAMES.company_annual_revenue_range }),
    company_employee_range: optionalText(LABEL_CHARS_MAX, { description: NAMES.company_employee_range }),
    confidence_score: optionalText(LABEL_CHARS_MAX, { description: NAMES.confidence_score }),
  },
  { additionalProperties: false, description: DESCRIPTION, examples: [SAMPLE_COMPANY] },
);

/** The company as receivers get it. */
export const companyBodySchema = Type.Object(
  {
    company_name: Type.String({ description: NAMES.company_name }),
    company_domain: Type.String({ description: NAMES.company_domain }),
    company_annual_revenue_range: Type.String({ description: NAMES.company_annual_revenue_range }),
    company_employee_range: Type.String({ description: NAMES.company_employee_range }),
    confidence_score: Type.String({ description: NAMES.confidence_score }),
  },
  { additionalProperties: false, description: `${DESCRIPTION} Unknown values are "".`, examples: [SAMPLE_COMPANY] },
);

type CompanyRecord = Static<typeof companyRecordSchema>;
type CompanyBody = Static<typeof companyBodySchema>;

/** Fills in `""` for every unknown value; a missing company is a company without known values. */
export function companyBody(company: CompanyRecord | null | undefined): CompanyBody {
  return {
    company_name: company?.company_name ?? "",
    company_domain: company?.company_domain ?? "",
    company_annual_revenue_range: company?.company_annual_revenue_range ?? "",
    company_employee_range: company?.company_employee_range ?? "",
    confidence_score: company?.confidence_score ?? "",
  };
}

/** A company counts as known once it has a name or a domain; an estimate of its size alone identifies no company. */
export const isKnownCompany = (company: CompanyRecord | null | undefined): boolean =>
  Boolean(company?.company_name) || Boolean(company?.company_domain);
