/* What a bench declares of a case: its tensors and its nominal work, learnt from `setup` in a worker. No tensor is
 * allocated and no variant is asked. */
#ifndef CASE_DECLARE_H
#define CASE_DECLARE_H

#include "case/case.h"
#include "model/message.h"

/* Sets the case up, hands each tensor to the sink and takes the case down. Of the report only the work and the tensors'
 * bytes are filled. -1, exit 3: the bench does not take this point, or its `setup` failed; with its reason. */
int declare_case(struct gb_case *c, void (*sink)(const struct tensor_desc *tensor), struct case_report *report,
                 struct err *err);

/* What `setup` has said of a case, into its report. */
void declare_note(const struct gb_case *c, struct case_report *report);

#endif
