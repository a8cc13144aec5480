# A volume is used by other resources only after it has passed: let them depend on `qualified`.
# ASSAY_URL and ASSAY_TOKEN are in the environment of Terraform.
variable "target" {
  description = "HOST:DIRECTORY, as registered in Assay"
  type        = string
}

variable "profile" {
  description = "What to measure"
  type        = string
  default     = "First look"
}

variable "least" {
  description = "Lowest mean rate that is accepted"
  type        = string
  default     = "500 MB/s"
}

resource "terraform_data" "qualified" {
  triggers_replace = [var.target, var.profile, var.least]

  provisioner "local-exec" {
    command = "assay campaign run --profile \"$PROFILE\" --target \"$TARGET\" --criterion \"durable.mean >= $LEAST\" --wait --timeout '1 h' --cancel-on-interrupt"
    environment = {
      TARGET  = var.target
      PROFILE = var.profile
      LEAST   = var.least
    }
  }
}
